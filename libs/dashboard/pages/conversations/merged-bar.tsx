import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Conversation } from '#client';
import classes from './chat.module.css';

/** Leads from a merged conversation to the one that goes on. */
export function MergedBar({ conversation: { merged_into: target } }: { conversation: Conversation }) {
  if (target === null) return null;
  return (
    <section className={classes.merged} aria-label="Merged">
      <Text size="sm">
        These are earlier messages of a person who has several ids.{' '}
        <Anchor
          size="sm"
          underline="always"
          renderRoot={(props) => (
            <Link to="/conversations/$conversationId" params={{ conversationId: target }} search={true} {...props} />
          )}
        >
          Go to the conversation that goes on
        </Anchor>
      </Text>
    </section>
  );
}
