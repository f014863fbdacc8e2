import type { GatewayOptions, RequestOptions } from './options';
import { Ai } from './resources/ai';
import { ApiKeys } from './resources/api-keys';
import { Attachments } from './resources/attachments';
import { AuditLog } from './resources/audit-log';
import { Backups } from './resources/backups';
import { Conversations } from './resources/conversations';
import { Events, EventTypes } from './resources/events';
import { Integrations } from './resources/integrations';
import { Messages } from './resources/messages';
import { Problems } from './resources/problems';
import { Sandbox } from './resources/sandbox';
import { Templates } from './resources/templates';
import { Settings } from './resources/settings';
import { Statistics } from './resources/statistics';
import { Deliveries, Webhooks } from './resources/webhooks';
import type { GatewayPromise } from './response';
import { Transport } from './transport/transport';
import type { Status, StatusParams } from './types';

/** The API of a gateway, with one API key. */
export class MessagingGateway {
  readonly messages: Messages;
  readonly attachments: Attachments;
  readonly conversations: Conversations;
  readonly ai: Ai;
  readonly integrations: Integrations;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly eventTypes: EventTypes;
  readonly apiKeys: ApiKeys;
  readonly settings: Settings;
  readonly statistics: Statistics;
  readonly auditLog: AuditLog;
  readonly backups: Backups;
  readonly problems: Problems;
  readonly sandbox: Sandbox;
  readonly templates: Templates;
  private readonly transport: Transport;

  /** @throws TypeError when the key or the address is malformed */
  constructor(options: GatewayOptions) {
    this.transport = new Transport(options);
    this.messages = new Messages(this.transport);
    this.attachments = new Attachments(this.transport);
    this.conversations = new Conversations(this.transport);
    this.ai = new Ai(this.transport);
    this.integrations = new Integrations(this.transport);
    this.webhooks = new Webhooks(this.transport);
    this.deliveries = new Deliveries(this.transport);
    this.events = new Events(this.transport);
    this.eventTypes = new EventTypes(this.transport);
    this.apiKeys = new ApiKeys(this.transport);
    this.settings = new Settings(this.transport);
    this.statistics = new Statistics(this.transport);
    this.auditLog = new AuditLog(this.transport);
    this.backups = new Backups(this.transport);
    this.problems = new Problems(this.transport);
    this.sandbox = new Sandbox(this.transport);
    this.templates = new Templates(this.transport);
  }

  /** The status of the gateway, its parts and its integrations. */
  status(query?: StatusParams, options?: RequestOptions): GatewayPromise<Status> {
    return this.transport.call('get', '/api/v1/status', { query }, options);
  }
}
