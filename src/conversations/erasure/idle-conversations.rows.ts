/** SQL of whether a conversation, named `idle`, has a message that is still to be sent. */
export const HAS_SCHEDULED = `EXISTS (
  SELECT FROM scheduled_sends s JOIN messages m ON m.id = s.message_id WHERE m.conversation_id = idle.id
)`;
