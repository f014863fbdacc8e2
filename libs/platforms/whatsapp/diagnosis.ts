import type { CallLimits } from '#http-client';
import { type DoctorFinding, finding, type FindingCode, healthy } from '#contracts';
import { faultOf } from './connection-faults';
import { GraphApi } from './graph-api';
import { GraphError } from './graph-error';
import { text } from './inbound/notification';
import { WHATSAPP_TIMINGS, type WhatsAppAccount, type WhatsAppOptions } from './whatsapp.options';

const DAY_SECONDS = 86_400;
const SOON_DAYS = 14;
const PERMISSION = 'whatsapp_business_messaging';
/** Error codes of a wrong app secret: https://developers.facebook.com/docs/graph-api/guides/error-handling */
const APP_REFUSED: ReadonlySet<number> = new Set([1, 101, 190]);
const MOST_ACCOUNTS = 5;

type Graph = Record<string, unknown>;
/** A call of the diagnosis. Undefined if the server does not answer it: then it yields no finding. */
type Ask = (path: string, query?: Record<string, string>) => Promise<Graph | undefined>;

const CODES: Readonly<Record<string, FindingCode>> = {
  phone_number_unknown: 'whatsapp.number',
  unauthorized: 'whatsapp.token-refused',
};

/** Asks the Graph API for the number, the access token and the subscriptions; changes nothing. */
export async function diagnoseWhatsApp(options: WhatsAppOptions, signal: AbortSignal): Promise<DoctorFinding[]> {
  const { account, apiUrl } = options;
  if (!account) return [healthy('whatsapp', 'not configured: WHATSAPP_ACCESS_TOKEN is not set')];
  const api = new GraphApi(account, apiUrl);
  const limits = { signal, deadlineMs: WHATSAPP_TIMINGS.answerMs };
  try {
    const number = await api.fields(['display_phone_number', 'verified_name'], limits);
    const findings = await furtherFindings(api, account, limits);
    if (findings.length > 0) return findings;
    return [healthy('whatsapp', `number ${text(number['display_phone_number']) ?? account.phoneNumberId}`)];
  } catch (error) {
    const { code, message } = faultOf(error);
    return [finding(CODES[code] ?? 'whatsapp.unreachable', message)];
  } finally {
    await api.close();
  }
}

async function furtherFindings(api: GraphApi, account: WhatsAppAccount, limits: CallLimits): Promise<DoctorFinding[]> {
  const ask: Ask = (path, query = {}) => api.get(path, query, limits).catch(ignoreGraphError);
  const debugged = await ask('debug_token', { input_token: account.accessToken });
  const token = (debugged?.['data'] ?? {}) as Graph;
  const appId = text(token['app_id']);
  const findings = tokenFindings(token);
  if (appId === undefined) return findings;
  const [app, business] = await Promise.all([
    appFindings(api, account, appId, limits),
    accountFindings(ask, account.phoneNumberId, appId, accountsOf(token)),
  ]);
  return [...findings, ...app, ...business];
}

function tokenFindings({ expires_at: expiresAt, scopes }: Graph): DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  // 0: it never expires.
  if (typeof expiresAt === 'number' && expiresAt > 0) {
    const days = Math.floor((expiresAt - Date.now() / 1_000) / DAY_SECONDS);
    if (days < SOON_DAYS) findings.push(finding('whatsapp.token-expiring', `The access token expires in ${days} days`));
  }
  if (Array.isArray(scopes) && !scopes.includes(PERMISSION))
    findings.push(finding('whatsapp.token-refused', `The access token has ${scopes.join(', ') || 'no permission'}`));
  return findings;
}

/** Reads the app's subscriptions with the app's own token: id and secret. */
async function appFindings(
  api: GraphApi,
  { appSecret }: WhatsAppAccount,
  appId: string,
  limits: CallLimits,
): Promise<DoctorFinding[]> {
  let subscriptions: unknown;
  try {
    subscriptions = (await api.get(`${appId}/subscriptions`, {}, limits, `${appId}|${appSecret}`))['data'];
  } catch (error) {
    if (error instanceof GraphError && APP_REFUSED.has(error.code) && error.subcode !== 33)
      return [finding('whatsapp.app-secret', `App ${appId} refuses WHATSAPP_APP_SECRET`)];
    return [];
  }
  if (!Array.isArray(subscriptions)) return [];
  const ours = (subscriptions as Graph[]).find(({ object }) => object === 'whatsapp_business_account');
  const fields = (Array.isArray(ours?.['fields']) ? ours['fields'] : []) as (Graph | string)[];
  const hasMessages = fields.some((field) => (typeof field === 'string' ? field : field['name']) === 'messages');
  if (ours && ours['active'] !== false && hasMessages) return [];
  return [finding('whatsapp.not-subscribed', `App ${appId} has no subscription to messages`)];
}

/** Whether the business account that has the number sends its notifications to the app. */
async function accountFindings(
  ask: Ask,
  phoneNumberId: string,
  appId: string,
  accounts: readonly string[],
): Promise<DoctorFinding[]> {
  for (const id of accounts.slice(0, MOST_ACCOUNTS)) {
    const numbers = listOf(await ask(`${id}/phone_numbers`, { fields: 'id', limit: '100' }));
    if (!numbers?.some((number) => number['id'] === phoneNumberId)) continue;
    const apps = listOf(await ask(`${id}/subscribed_apps`));
    const isSubscribed = apps?.some(({ whatsapp_business_api_data: app }) => (app as Graph | null)?.['id'] === appId);
    if (isSubscribed === false)
      return [finding('whatsapp.not-subscribed', `Business account ${id} does not notify app ${appId}`)];
  }
  return [];
}

/** The business accounts that the token was made for; empty if it is valid for all. */
function accountsOf({ granular_scopes: scopes }: Graph): string[] {
  if (!Array.isArray(scopes)) return [];
  const ids = (scopes as Graph[])
    .filter(({ scope }) => String(scope).startsWith('whatsapp_business_'))
    .flatMap(({ target_ids: targets }) => (Array.isArray(targets) ? (targets as unknown[]).map(String) : []));
  return [...new Set(ids)];
}

function listOf(answer: Graph | undefined): Graph[] | undefined {
  const data = answer?.['data'];
  return Array.isArray(data) ? (data as Graph[]) : undefined;
}

/** For a token without the permission, or a server that imitates the Graph API. */
function ignoreGraphError(error: unknown): undefined {
  if (!(error instanceof GraphError)) throw error;
}
