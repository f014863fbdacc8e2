import type { TimelineStep } from '#client';

/** The colour of a step. */
export function toneOf(step: TimelineStep): 'good' | 'bad' | 'neutral' {
  switch (step.step) {
    case 'not_sent':
      return 'bad';
    case 'sent':
      return 'good';
    case 'answered':
      return step.data.error ? 'bad' : 'good';
    case 'receipt':
      return step.data.status === 'failed' ? 'bad' : 'good';
    case 'webhook':
      return step.data.status === 'failed' ? 'bad' : 'good';
    case 'tool':
      return step.data.status === 'success' ? 'good' : 'bad';
    case 'audit':
      return step.data.status >= 400 ? 'bad' : 'neutral';
    case 'received':
    case 'waited':
    case 'asked':
    case 'stored':
    case 'event':
    default:
      return 'neutral';
  }
}
