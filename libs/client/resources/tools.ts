import type { List } from '../list';
import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type {
  CreatedTool,
  DeletedTool,
  TestedTool,
  Tool,
  ToolCall,
  ToolCallListParams,
  ToolCreateParams,
  ToolListParams,
  ToolTestParams,
  ToolUpdateParams,
} from '../types';

export class Tools {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Without a `secret`, the gateway creates one; only this answer contains it. */
  create(tool: ToolCreateParams, options?: RequestOptions): GatewayPromise<CreatedTool> {
    return this.transport.call('post', '/api/v1/tools', { body: tool }, options);
  }

  list(query?: ToolListParams, options?: RequestOptions): List<Tool> {
    return this.transport.list('/api/v1/tools', { query }, options);
  }

  get(toolId: string, options?: RequestOptions): GatewayPromise<Tool> {
    return this.transport.call('get', '/api/v1/tools/{tool_id}', { path: { tool_id: toolId } }, options);
  }

  update(toolId: string, change: ToolUpdateParams, options?: RequestOptions): GatewayPromise<Tool> {
    const input = { path: { tool_id: toolId }, body: change };
    return this.transport.call('patch', '/api/v1/tools/{tool_id}', input, options);
  }

  delete(toolId: string, options?: RequestOptions): GatewayPromise<DeletedTool> {
    return this.transport.call('delete', '/api/v1/tools/{tool_id}', { path: { tool_id: toolId } }, options);
  }

  /** Calls the tool at once and resolves with the outcome, successful or failed. No conversation knows of the call. */
  test(toolId: string, request: ToolTestParams, options?: RequestOptions): GatewayPromise<TestedTool> {
    const input = { path: { tool_id: toolId }, body: request };
    return this.transport.call('post', '/api/v1/tools/{tool_id}/test', input, options);
  }

  /** The calls that have ended, newest first. */
  listCalls(toolId: string, query?: ToolCallListParams, options?: RequestOptions): List<ToolCall> {
    const input = { path: { tool_id: toolId }, query };
    return this.transport.list('/api/v1/tools/{tool_id}/calls', input, options, { isDated: true });
  }
}
