import { ActionIcon, Tooltip } from '@mantine/core';
import { CountdownTimerIcon } from '@radix-ui/react-icons';
import { Link } from '@tanstack/react-router';

/** Opens the timeline of a message beside its conversation. */
export function TimelineLink({ conversationId, messageId }: { conversationId: string; messageId: string }) {
  return (
    <Tooltip label="What happened">
      <ActionIcon
        variant="subtle"
        color="gray"
        c="dimmed"
        size="sm"
        aria-label="What happened"
        renderRoot={(props) => (
          <Link
            to="/conversations/$conversationId/messages/$messageId"
            params={{ conversationId, messageId }}
            search={true}
            {...props}
          />
        )}
      >
        <CountdownTimerIcon />
      </ActionIcon>
    </Tooltip>
  );
}
