/** How a call of a tool ended. `refused`: its arguments do not fit the schema, so it was not sent. */
export const TOOL_CALL_STATUSES = ['success', 'failed', 'refused', 'timed_out'] as const;
export type ToolCallStatus = (typeof TOOL_CALL_STATUSES)[number];
