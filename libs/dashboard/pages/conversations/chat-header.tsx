import { ActionIcon, Button, Menu, Text } from '@mantine/core';
import {
  ArchiveIcon,
  ArrowLeftIcon,
  BookmarkIcon,
  DotsVerticalIcon,
  EraserIcon,
  TrashIcon,
} from '@radix-ui/react-icons';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Conversation } from '#client';
import { Avatar } from '../../components/people/avatar';
import { Confirm } from '../../components/feedback/confirm';
import { Identifier } from '../../components/copy/identifier';
import { kindOf, nameOf } from '../../components/people/person-name';
import { useAccountName } from '../../components/people/use-account-name';
import { StatusBadge } from '../../components/status-badge';
import { useMay } from '../../session/use-session';
import classes from './chat.module.css';
import { LabelsForm } from './labels-form';
import { Labels } from './list/labels';
import { EraseConversation } from './erase-conversation';
import { ReplyWindow } from './whatsapp/reply-window';
import { useConversationActions } from './use-conversation-actions';

interface ChatHeaderProps {
  conversation: Conversation;
  mayWrite: boolean;
  onTakeOver: () => void;
}

export function ChatHeader({ conversation, mayWrite, onTakeOver }: ChatHeaderProps) {
  const { id, participant, status, handling } = conversation;
  const { change, clear } = useConversationActions(id);
  const [clearing, setClearing] = useState(false);
  const [erasing, setErasing] = useState(false);
  const [labelling, setLabelling] = useState(false);
  const mayErase = useMay('admin:users') && conversation.erased_at === null;
  const kind = kindOf(conversation);
  const account = useAccountName(conversation);
  const isArchived = status === 'archived';
  return (
    <header className={classes.header}>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.back}
        aria-label="Back to the list"
        renderRoot={(props) => <Link to="/conversations" search={true} {...props} />}
      >
        <ArrowLeftIcon />
      </ActionIcon>
      <Avatar conversation={conversation} />
      <div className={classes.person}>
        <Text fw={600} truncate dir="auto" component="h2">
          {nameOf(participant)}
        </Text>
        {participant.id !== null && <Identifier value={participant.id} label="recipient" />}
        <ReplyWindow window={conversation.window} />
      </div>
      <div className={classes.badges}>
        <Labels labels={conversation.labels} />
        {account && (
          <Text size="sm" c="dimmed" dir="auto">
            {account}
          </Text>
        )}
        {kind && (
          <Text size="sm" c="dimmed">
            {kind}
          </Text>
        )}
        {isArchived && <StatusBadge status="archived" />}
      </div>
      {mayWrite && handling === 'assistant' && (
        <Button size="xs" variant="default" className={classes.takeOver} onClick={onTakeOver}>
          Take over
        </Button>
      )}
      {(mayWrite || mayErase) && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size="lg" aria-label="More actions">
              <DotsVerticalIcon />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {mayWrite && (
              <>
                <Menu.Item
                  leftSection={<ArchiveIcon />}
                  onClick={() => change.mutate({ status: isArchived ? 'active' : 'archived' })}
                >
                  {isArchived ? 'Make active' : 'Archive'}
                </Menu.Item>
                <Menu.Item leftSection={<BookmarkIcon />} onClick={() => setLabelling(true)}>
                  Labels
                </Menu.Item>
                <Menu.Item leftSection={<EraserIcon />} onClick={() => setClearing(true)}>
                  Clear the context
                </Menu.Item>
              </>
            )}
            {mayErase && (
              <Menu.Item leftSection={<TrashIcon />} onClick={() => setErasing(true)}>
                Erase
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <Confirm
        opened={clearing}
        title="Clear the context of the AI?"
        confirm="Clear the context"
        danger={false}
        busy={clear.isPending}
        onClose={() => setClearing(false)}
        onConfirm={() => clear.mutate(undefined, { onSettled: () => setClearing(false) })}
      >
        The assistant forgets what was said until now. The messages stay, and a line shows where its memory begins.
      </Confirm>
      {labelling && <LabelsForm conversation={conversation} onClose={() => setLabelling(false)} />}
      <EraseConversation conversation={conversation} opened={erasing} onClose={() => setErasing(false)} />
    </header>
  );
}
