import type { LiveEvent } from '../../live/live-event';

interface Step {
  title: string;
  content?: string;
  tone?: 'good' | 'bad';
}

/** A readable description of an event. */
export function stepOf(event: LiveEvent): Step {
  switch (event.type) {
    case 'message.received':
      return { title: `${event.data.sender.name ?? event.data.sender.id} wrote`, content: event.data.content };
    case 'ai.request':
      return { title: 'The assistant asks the AI', content: `Messages of context: ${event.data.context_messages}` };
    case 'ai.response':
      return {
        title: 'The AI answered',
        content: `${event.data.model}: ${event.data.tokens.input} tokens in, ${event.data.tokens.output} out`,
        tone: 'good',
      };
    case 'ai.tool_called':
      return {
        title: `The assistant called ${event.data.tool}`,
        content: `${event.data.status.replace('_', ' ')} after ${event.data.ms} ms`,
        tone: event.data.status === 'success' ? 'good' : 'bad',
      };
    case 'ai.error':
      return { title: 'The AI failed', content: event.data.error.message, tone: 'bad' };
    case 'ai.rate_limited':
      return { title: 'A limit delays or refuses the AI', tone: 'bad' };
    case 'message.sent':
      return { title: `Sent to ${event.data.recipient.name ?? event.data.recipient.id}`, content: event.data.content };
    case 'message.delivered':
      return { title: 'Delivered', tone: 'good' };
    case 'message.failed':
      return { title: 'Failed', content: event.data.error.message, tone: 'bad' };
    case 'message.updated':
      return {
        title: event.data.change === 'deleted' ? 'The author deleted it' : 'Edited',
        content: event.data.content,
      };
    case 'message.read':
      return { title: 'Read', tone: 'good' };
    case 'conversation.handover_requested':
    case 'conversation.handover_taken':
    case 'conversation.resumed':
    case 'conversation.erased':
    case 'attachment.stored':
    case 'attachment.failed':
    case 'integration.connected':
    case 'integration.disconnected':
    case 'integration.error':
    case 'integration.notice':
    case 'system.health':
    case 'backup.completed':
    case 'backup.failed':
    default:
      return { title: event.type };
  }
}
