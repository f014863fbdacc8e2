import { hasScope, toPublicId, type Scope } from '#contracts';
import { firstBytes } from '../ai/tools/calls/first-bytes';
import { SHOWN_BYTES } from '../ai/tools/tool-limits';
import type { TimelineStepDto } from './dto/timeline.dto';
import type { ToolCallRow } from './timeline.rows';

/** The calls of tools. @param scopes of the caller: administrators see arguments and results */
export function toolSteps(calls: readonly ToolCallRow[], scopes: readonly Scope[]): TimelineStepDto[] {
  const maySee = hasScope(scopes, 'admin:settings');
  return calls.map(({ id, name, arguments: given, status, ms, result, error, created_at }) => ({
    at: created_at.toISOString(),
    step: 'tool',
    title: `Called ${name}: ${status.replace('_', ' ')} after ${ms} ms`,
    data: {
      call_id: toPublicId('tool_call', id),
      name,
      status,
      ms,
      arguments: maySee ? given : null,
      result: maySee && result !== null ? firstBytes(result, SHOWN_BYTES) : null,
      error: maySee ? error : null,
    },
  }));
}
