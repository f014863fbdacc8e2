import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { DEFAULT_ACCOUNT, type AccountKey, type Environment } from '#contracts';
import type { PlatformTemplate } from '#platforms';
import { Accounts } from '../../accounts/accounts.service';
import { accountKey } from '../../accounts/entities/account.entity';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { Page } from '../../core/pagination/list-page';
import { Timers, type Timer } from '../../core/work/timers/timers.service';
import { MessageTemplateEntity } from '../entities/message-template.entity';
import { InboundSinks } from '../inbound/inbound-sinks.service';
import { Adapters } from '../platforms/adapters.service';
import { languageOfNumber, primaryLanguage } from './participant-language';
import { SANDBOX_TEMPLATES } from './sandbox-templates';
import {
  fillTemplate,
  parameterSchema,
  TemplateFault,
  type FilledTemplate,
  type TemplateParameters,
} from './template-parameters';
import { SORTABLE, type TemplateDto, type TemplateListQuery, type TemplateSyncDto } from './templates.dto';
import { STORE_TEMPLATES } from './templates.rows';

export type { TemplateMessage } from '#platforms';

const SYNC_MS = 3_600_000;
/** How long the platform may take to list all templates, in milliseconds. */
const LISTING_MS = 60_000;
/** How many templates the error of a failed send suggests. */
const NAMED = 3;

type Template = Omit<PlatformTemplate, 'id'>;

/** A copy of the templates of the WhatsApp business account, which are edited at Meta. */
@Injectable()
export class Templates implements OnModuleDestroy {
  private readonly stopping = new AbortController();
  private readonly job: Timer;
  private isAwaited = false;

  constructor(
    private readonly adapters: Adapters,
    private readonly database: Database,
    @InjectRepository(MessageTemplateEntity) private readonly templates: Repository<MessageTemplateEntity>,
    private readonly clock: Clock,
    private readonly accounts: Accounts,
    sinks: InboundSinks,
    timers: Timers,
  ) {
    this.job = timers.every('Template synchronization', SYNC_MS, () => this.refresh(), {
      scope: 'process',
      firstMs: 0,
    });
    sinks.onTemplatesChanged(() => this.request());
  }

  /** Ends a listing under way: the job's stop would wait for it, up to a minute. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }

  async list(environment: Environment, query: TemplateListQuery): Promise<Page<TemplateDto>> {
    const at = this.accountOf(environment, query.account);
    const templates = (await this.all(at)).toSorted(orderOf(query.sort ?? 'name'));
    const start = (query.page - 1) * query.per_page;
    return new Page(templates.slice(start, start + query.per_page).map(toDto), query, templates.length);
  }

  /** @throws ApiError PLATFORM_NOT_CONNECTED when the templates cannot be read from WhatsApp */
  async sync(environment: Environment, word?: string): Promise<TemplateSyncDto> {
    const account = this.accountOf(environment, word);
    const at = this.clock.date();
    const listed =
      environment === 'test'
        ? SANDBOX_TEMPLATES
        : await this.fetch(account, at).catch((error: unknown) => {
            throw notConnected(error instanceof Error ? error.message : 'the templates cannot be read');
          });
    if (!listed)
      throw notConnected(
        account.account === DEFAULT_ACCOUNT
          ? 'WHATSAPP_BUSINESS_ACCOUNT_ID is not set'
          : 'the credentials of the account have no business_account_id',
      );
    return { templates: listed.length, synced_at: at.toISOString() };
  }

  /**
   * Fills a template for a send.
   * @throws ApiError INVALID_PARAMETER
   */
  async fill(
    { environment, account }: AccountKey,
    { name, language, parameters }: { name: string; language: string; parameters: TemplateParameters },
  ): Promise<FilledTemplate & { isMarketing: boolean }> {
    const named: readonly Template[] =
      environment === 'test'
        ? SANDBOX_TEMPLATES.filter((one) => one.name === name)
        : await this.templates.find({ where: { account, name }, order: { language: 'ASC' } });
    const template = named.find((one) => one.language === language);
    if (!template) {
      const others = named.length > 0 ? `; its languages are ${named.map((one) => one.language).join(', ')}` : '';
      throw ApiError.invalidParameter('template.name', `is not a template in the language ${language}${others}`, name);
    }
    if (template.status !== 'APPROVED')
      throw ApiError.invalidParameter('template.name', `cannot be sent: the template is ${template.status}`, name);
    try {
      return { ...fillTemplate(template, parameters), isMarketing: template.category.toUpperCase() === 'MARKETING' };
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      throw ApiError.invalidParameter(`template.parameters.${error.parameter}`, error.reason);
    }
  }

  /**
   * Names of templates that may be sent to a participant. Their language is that of the last template sent to the
   * participant, else that of the country of the phone number, else English.
   */
  async suggest(at: AccountKey, participantId: string, lastLanguage?: string): Promise<string[]> {
    const sendable = (await this.all(at)).filter(({ status }) => status === 'APPROVED');
    const wanted = [primaryLanguage(lastLanguage ?? languageOfNumber(participantId)), 'en'];
    for (const language of wanted) {
      const names = sendable.filter((one) => primaryLanguage(one.language) === language).map(({ name }) => name);
      if (names.length > 0) return [...new Set(names.toSorted())].slice(0, NAMED);
    }
    return [];
  }

  /** The named account, else the default one. @throws ApiError INVALID_PARAMETER */
  private accountOf(environment: Environment, word?: string): AccountKey {
    const at = { environment, platform: 'whatsapp' } as const;
    const named = word === undefined ? this.accounts.defaultOf(at) : this.accounts.named(at, word);
    if (!named && word !== undefined)
      throw ApiError.invalidParameter('account', 'must be the id or the name of an account of whatsapp', word);
    return { ...at, account: named ? accountKey(named) : DEFAULT_ACCOUNT };
  }

  /** Reads the templates again soon; callbacks that arrive before then start no second read. */
  private request(): void {
    if (this.isAwaited) return;
    this.isAwaited = true;
    void this.job.run();
  }

  private async refresh(): Promise<void> {
    this.isAwaited = false;
    const accounts = this.adapters.configured().filter(({ platform }) => platform === 'whatsapp');
    const results = await Promise.allSettled(accounts.map(({ at }) => this.fetch(at, this.clock.date())));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed && !this.stopping.signal.aborted) throw failed.reason as Error;
  }

  /** @returns undefined if no business account is configured */
  private async fetch(account: AccountKey, at: Date): Promise<readonly PlatformTemplate[] | undefined> {
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(LISTING_MS)]);
    const listed = await this.adapters.of(account).templates(signal);
    if (listed) await this.database.query(STORE_TEMPLATES, [JSON.stringify(listed), at, account.account]);
    return listed;
  }

  private async all({ environment, account }: AccountKey): Promise<readonly Template[]> {
    return environment === 'test' ? SANDBOX_TEMPLATES : this.templates.findBy({ account });
  }
}

function notConnected(reason: string): ApiError {
  const details = { platform: 'whatsapp', status: 'disconnected', reason };
  return new ApiError('PLATFORM_NOT_CONNECTED', details, `The templates cannot be read: ${reason.replace(/\.$/, '')}.`);
}

function toDto(template: Template): TemplateDto {
  const { name, language, category, status, components } = template;
  return { name, language, category, status, components, parameters: parameterSchema(template) };
}

/** Ties are sorted by name and language, which together are unique. */
function orderOf(sort: string): (one: Template, other: Template) => number {
  const fields = [...sort.split(','), 'name', 'language'].map((field) => ({
    property: SORTABLE[field.replace(/^-/, '') as keyof typeof SORTABLE] as keyof typeof SORTABLE,
    sign: field.startsWith('-') ? -1 : 1,
  }));
  return (one, other) => {
    for (const { property, sign } of fields) {
      if (one[property] !== other[property]) return one[property] < other[property] ? -sign : sign;
    }
    return 0;
  };
}
