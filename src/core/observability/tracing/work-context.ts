import { AsyncLocalStorage } from 'node:async_hooks';
import { fromPublicId, type Environment } from '#contracts';

/** The public ids of the rows that the current work is about; log lines carry them. */
export interface WorkIds {
  request_id?: string;
  message_id?: string;
  conversation_id?: string;
  webhook_id?: string;
  event_id?: string;
  delivery_id?: string;
  call_id?: string;
}

/** The context of one piece of work: a request, a message that came in, a reply, an attempt. */
export interface WorkContext {
  readonly ids: WorkIds;
  /** Undefined: the work belongs to both environments, or the request's key is not known yet. */
  environment?: Environment;
  /** OpenTelemetry's context with the current span; undefined while tracing is off. */
  readonly trace?: unknown;
  /** For log lines; undefined while tracing is off. */
  readonly traceId?: string;
}

const contexts = new AsyncLocalStorage<WorkContext | undefined>();

export function currentWork(): WorkContext | undefined {
  return contexts.getStore();
}

/** UUID of the request under way, or undefined. */
export function currentRequestId(): string | undefined {
  const id = contexts.getStore()?.ids.request_id;
  return id === undefined ? undefined : fromPublicId('request', id);
}

/** Everything that `work` begins belongs to the context, even after `work` returns. */
export function runIn<T>(context: WorkContext | undefined, work: () => T): T {
  return contexts.run(context, work);
}

/** Runs work that does not belong to the current context, as when a worker takes up due work. */
export function runDetached<T>(work: () => T): T {
  return contexts.run(undefined, work);
}

/** Adds ids to the current work. */
export function noteIds(ids: WorkIds): void {
  const context = contexts.getStore();
  if (context) Object.assign(context.ids, ids);
}

export function noteEnvironment(environment: Environment): void {
  const context = contexts.getStore();
  if (context) context.environment = environment;
}
