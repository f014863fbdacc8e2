/** SQL of whether a conversation, named `idle`, or one that it continues, has a message that is still to be sent. */
export const HAS_SCHEDULED = `EXISTS (
  SELECT FROM scheduled_sends s JOIN messages m ON m.id = s.message_id JOIN conversations c ON c.id = m.conversation_id
  WHERE idle.id IN (c.id, c.merged_into)
)`;
