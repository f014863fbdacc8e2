import type { GatewayOptions } from './options';
import { Ai, Tools } from './resources/ai';
import { ApiKeys } from './resources/api-keys';
import { Attachments } from './resources/attachments';
import { AuditLog } from './resources/audit-log';
import { Backups } from './resources/backups';
import { Conversations } from './resources/conversations';
import { Events, EventTypes } from './resources/events';
import { Integrations } from './resources/integrations';
import { Messages } from './resources/messages';
import { Sandbox } from './resources/sandbox';
import { Templates } from './resources/templates';
import { Settings } from './resources/settings';
import { Statistics } from './resources/statistics';
import { Problems, Status } from './resources/status';
import { Deliveries, Webhooks } from './resources/webhooks';
import { Transport } from './transport/transport';

/** The API of a gateway, with one API key. */
export class MessagingGateway {
  readonly messages: Messages;
  readonly attachments: Attachments;
  readonly conversations: Conversations;
  readonly ai: Ai;
  readonly integrations: Integrations;
  readonly tools: Tools;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly eventTypes: EventTypes;
  readonly apiKeys: ApiKeys;
  readonly settings: Settings;
  readonly statistics: Statistics;
  readonly auditLog: AuditLog;
  readonly backups: Backups;
  readonly status: Status;
  readonly problems: Problems;
  readonly sandbox: Sandbox;
  readonly templates: Templates;

  /** @throws TypeError when the key or the address is malformed */
  constructor(options: GatewayOptions) {
    const transport = new Transport(options);
    this.messages = new Messages(transport);
    this.attachments = new Attachments(transport);
    this.conversations = new Conversations(transport);
    this.ai = new Ai(transport);
    this.integrations = new Integrations(transport);
    this.tools = new Tools(transport);
    this.webhooks = new Webhooks(transport);
    this.deliveries = new Deliveries(transport);
    this.events = new Events(transport);
    this.eventTypes = new EventTypes(transport);
    this.apiKeys = new ApiKeys(transport);
    this.settings = new Settings(transport);
    this.statistics = new Statistics(transport);
    this.auditLog = new AuditLog(transport);
    this.backups = new Backups(transport);
    this.status = new Status(transport);
    this.problems = new Problems(transport);
    this.sandbox = new Sandbox(transport);
    this.templates = new Templates(transport);
  }
}
