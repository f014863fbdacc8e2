import { ChatBubbleIcon } from '@radix-ui/react-icons';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { EmptyState } from '../../components/feedback/empty-state';
import { usePageTitle } from '../../components/hooks/use-page-title';
import { RequireScope } from '../../session/require-scope';
import { Chat } from './chat';
import { ConversationList } from './list/conversation-list';
import classes from './conversations.module.css';

const MessagePane = lazy(() => import('../messages/message-pane'));

/** The list and the open conversation side by side; on narrow screens only one of them. */
export default function Conversations() {
  const { conversationId, messageId } = useParams({ strict: false });
  usePageTitle('Conversations');
  return (
    <RequireScope anyOf={['read:conversations']}>
      <div
        className={`card ${classes.panes}`}
        data-open={conversationId !== undefined}
        data-message={messageId !== undefined || undefined}
      >
        <div className={classes.list} data-keys="list">
          <ConversationList />
        </div>
        <div className={classes.chat}>
          {conversationId === undefined ? (
            <div className={classes.nothing}>
              <EmptyState icon={<ChatBubbleIcon />} title="No conversation is open">
                Choose one from the list to read it, or to write in it as the business.
              </EmptyState>
            </div>
          ) : (
            <Chat key={conversationId} id={conversationId} />
          )}
        </div>
        {conversationId !== undefined && messageId !== undefined && (
          <Suspense fallback={<aside />}>
            <MessagePane key={messageId} conversationId={conversationId} messageId={messageId} />
          </Suspense>
        )}
      </div>
    </RequireScope>
  );
}
