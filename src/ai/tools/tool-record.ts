import { toPublicId } from '#contracts';
import type { ToolCallDto, ToolDto } from './dto/tool.dto';
import type { ToolCallEntity } from './entities/tool-call.entity';
import type { ToolEntity } from './entities/tool.entity';
import { firstBytes } from './calls/first-bytes';
import { SHOWN_BYTES } from './tool-limits';

/** A tool as the API shows it. */
export function toTool(tool: Omit<ToolEntity, 'secret' | 'previousSecret' | 'previousSecretUntil'>): ToolDto {
  const { id, name, description, parameters, url, timeoutSeconds, enabled, createdAt, updatedAt } = tool;
  return {
    id: toPublicId('tool', id),
    name,
    description,
    parameters,
    url,
    timeout_seconds: timeoutSeconds,
    enabled,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

/** A call that has ended, as the API shows it. */
export function toToolCall(call: ToolCallEntity): ToolCallDto {
  const { id, toolId, name, conversationId, messageId, result } = call;
  return {
    id: toPublicId('tool_call', id),
    tool_id: toPublicId('tool', toolId),
    name,
    conversation_id: conversationId === null ? null : toPublicId('conversation', conversationId),
    message_id: messageId === null ? null : toPublicId('message', messageId),
    arguments: call.arguments,
    status: call.status!,
    ms: call.ms!,
    result: result === null ? null : firstBytes(result, SHOWN_BYTES),
    error: call.error,
    created_at: call.createdAt.toISOString(),
  };
}
