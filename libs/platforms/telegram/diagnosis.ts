import { TelegramError } from 'telegraf';
import type { WebhookInfo } from 'telegraf/types';
import { type DoctorFinding, finding, healthy } from '#contracts';
import { BotApi } from './bot-api';
import { faultOf } from './connection-faults';
import { waitingOf } from './inbound/polling';
import { TELEGRAM_TIMINGS, type TelegramOptions } from './telegram.options';

const RECENT_SECONDS = 3_600;

/** Asks Telegram who the bot is and how it gets its updates; changes nothing. */
export async function diagnoseTelegram(options: TelegramOptions, signal: AbortSignal): Promise<DoctorFinding[]> {
  if (!options.token) return [healthy('telegram', 'not configured: TELEGRAM_BOT_TOKEN is not set')];
  const api = new BotApi(options.token, options.apiRoot);
  const limits = { signal, deadlineMs: TELEGRAM_TIMINGS.answerMs };
  try {
    const me = await api.call('getMe', {}, limits);
    const info = await api.call('getWebhookInfo', {}, limits).catch(unknownMethod);
    const findings = info ? webhookFindings(info, options.webhookUrl) : [];
    if (findings.length > 0) return findings;
    const way = options.webhookUrl === undefined ? 'polling' : 'webhook';
    return [healthy('telegram', `bot @${me.username ?? me.id}, ${way}, ${waitingOf(info ?? {}) ?? 0} updates waiting`)];
  } catch (error) {
    return [refusal(error)];
  } finally {
    await api.close();
  }
}

function webhookFindings(info: Partial<WebhookInfo>, wanted: string | undefined): DoctorFinding[] {
  const { url = '', last_error_date: failedAt = 0, last_error_message: reason = 'no reason given' } = info;
  const waiting = waitingOf(info) ?? 0;
  const findings: DoctorFinding[] = [];
  if (url !== '' && url !== wanted) {
    const where = URL.parse(url)?.host ?? 'an unknown address';
    findings.push(finding('telegram.webhook', `The webhook of this bot is at ${where}`));
  }
  if (url !== '' && waiting > 0 && Date.now() / 1_000 - failedAt < RECENT_SECONDS)
    findings.push(finding('telegram.webhook', `Telegram says: ${reason}; ${waiting} updates wait`));
  return findings;
}

/** Some Bot API servers know only the most common methods. */
function unknownMethod(error: unknown): undefined {
  if (!(error instanceof TelegramError) || error.code !== 404) throw error;
}

function refusal(error: unknown): DoctorFinding {
  const { code, message } = faultOf(error);
  if (code === 'unauthorized') return finding('telegram.token-refused', 'Telegram refuses the bot token');
  return finding('telegram.unreachable', message);
}
