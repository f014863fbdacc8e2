import { CALLS_AT_ONCE, MAX_ANSWER_BYTES, MAX_DEFINITION_BYTES, MAX_TOOLS } from '../../src/ai/tools/tool-limits';
import { MAX_SCHEMA_BYTES } from '../../src/ai/tools/schema/schema-fault';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_TEXT_LENGTH } from '#contracts';
import { MAX_FIELDS, MAX_LEVELS } from '../../libs/platforms/whatsapp/inbound/form-reply';
import { LONGEST_PATH_RANGE_MS, USUAL_RANGE_MS } from '../../src/admin/audit/list/audit-log.service';
import { TOTAL_CAP } from '../../src/core/pagination/list-page';
import { LONGEST_PATH } from '../../src/admin/audit/audit.rows';
import { LAST_KNOWN_MS, UNKNOWN_MS } from '../../src/api-keys/api-key-cache.service';
import { MAX_GRACE_HOURS, MAX_MODELS, RollApiKeyDto } from '../../src/api-keys/dto/api-key-request.dto';
import { WAITING } from '../../src/api-keys/lookup-queue';
import { SHORTEST_SECRET } from '../../src/core/config/parsers';
import { REFUSALS_PER_MINUTE, WRONG_CODES_PER_MINUTE } from '../../src/core/rate-limiting/refusals.service';
import { FETCHES_OF_A_KEY } from '../../src/media/url-files.service';
import { LISTED } from '../../src/core/validation/request-faults';
import {
  STREAMS_OF_LIVE,
  STREAMS_PER_INSTANCE,
  STREAMS_PER_KEY,
  UNREAD_OF_ALL,
  UNREAD_OF_STREAM,
} from '../../src/live/live-streams.service';
import { UPLOADS_OF_ENVIRONMENT, UPLOADS_OF_KEY } from '../../src/media/uploads.service';
import { TIERS, type Tier } from '../../src/api-keys/policy/tiers';
import { CONFIGURATION_VARIABLES } from '../../src/core/config/configuration.schema';
import { MOST } from '../../src/core/http/hardening/body-shape';
import { KEY_ANSWER_BYTES, TURN_MS } from '../../src/core/http/hardening/answer-turns.interceptor';
import { RESERVE, RESERVE_HEADERS_MS } from '../../src/core/http/hardening/connection-limits';
import { READING_LIMITS } from '../../src/core/http/hardening/slow-readers';
import { HEADERS_MS, REQUEST_MS } from '../../src/core/http/hardening/time-limits';
import { BODY_LIMIT_KIB } from '../../src/core/http/lifecycle/body-parser';
import { defaultSettings } from '../../src/core/settings/settings';
import { AT_ONCE, PER_MINUTE } from '../../src/webhooks/endpoints/replays.service';
import {
  CALLBACK_LIMIT_KIB,
  LEAST_KIB_PER_SECOND,
  LONG_AT_ONCE,
  SPEED_CHECK_MS,
  SHORT_KIB,
} from '../../src/integrations/callbacks/callback-bodies.service';
import { KEPT_CONTENTS } from '../../src/messages/receive/message-changes.rows';
import { LONGEST_BODIES } from '../openapi/longest-bodies';

const document = readFileSync(join(__dirname, '../../docs/limits.md'), 'utf8');
const rows = document
  .slice(document.indexOf('## Requests'), document.indexOf('## Bodies'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  .slice(1)
  .map(
    (line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()) as [string, string, string, string],
  );

const seconds = (ms: number) => `${ms / 1_000} s`;
const kib = (count: number) => (count < 1_024 ? `${count} KiB` : `${count / 1_024} MiB`);
const settings = defaultSettings({ model: 'any', ownerEmail: null });
const requestsOf = (tier: Tier) => `${TIERS[tier].perMinute} a minute, ${TIERS[tier].perHour} an hour`;

/** Limits of the code, in the order of the page. Where a variable or a setting changes a limit, its default counts. */
const FIGURES: readonly (readonly [what: RegExp, limit: string | ((theDefault: string) => string)])[] = [
  [/^Open sockets$/, String],
  [/^Open sockets of one address/, String],
  [/left for \/health/, String(RESERVE)],
  [/^Headers on such a socket/, seconds(RESERVE_HEADERS_MS)],
  [/^Headers of a request/, seconds(HEADERS_MS)],
  [/^Headers and body/, seconds(REQUEST_MS)],
  [/^Body of an operation/, kib(BODY_LIMIT_KIB)],
  [/^Body of `POST \/ai\/generate`/, kib(LONGEST_BODIES['ai.generate']!.bytes / 1_024)],
  [/^Body of a callback/, kib(CALLBACK_LIMIT_KIB)],
  [new RegExp(`^Callbacks of more than ${SHORT_KIB} KiB`), String(LONG_AT_ONCE)],
  [new RegExp(`less than ${LEAST_KIB_PER_SECOND} KiB/s$`), seconds(SPEED_CHECK_MS)],
  [/^Values in a body/, String(MOST.values)],
  [/^Levels in a body/, String(MOST.levels)],
  [/^Text of an inbound message/, `${MAX_TEXT_LENGTH} characters`],
  [/^Fields and levels of a form/, `${MAX_FIELDS}, ${MAX_LEVELS}`],
  [/^Former contents/, String(KEPT_CONTENTS)],
  [/reads nothing$/, seconds(READING_LIMITS.unreadMs)],
  [/client has ended its side$/, seconds(READING_LIMITS.endedMs)],
  [
    new RegExp(`^A long answer, and 1 s more for each ${READING_LIMITS.leastBytesPerMs} kB$`),
    seconds(READING_LIMITS.readingMs),
  ],
  [/^Texts of messages/, kib(KEY_ANSWER_BYTES / 1_024)],
  [/^Wait for the turn/, seconds(TURN_MS)],
  [/standard key/, requestsOf('standard')],
  [/pro key/, requestsOf('pro')],
  [/elite key/, requestsOf('elite')],
  [/^Posts to one webhook host/, (rate) => `${rate} a second`],
  [/^One delivery/, (timeout) => `${timeout} s`],
  [/^Replays of missed events at once/, String(AT_ONCE)],
  [/^Replays that a key/, `${PER_MINUTE.limit} a minute`],
  [/^Webhooks of an environment/, String],
  [/^Tools of an environment/, String(MAX_TOOLS)],
  [/^Names, descriptions and schemas/, kib(MAX_DEFINITION_BYTES / 1_024)],
  [/^Schema of a tool/, kib(MAX_SCHEMA_BYTES / 1_024)],
  [/^Calls of a tool at once/, String(CALLS_AT_ONCE)],
  [/^Answer of a tool/, kib(MAX_ANSWER_BYTES / 1_024)],
  [/^Messages of a key/, (count) => `${count} a minute`],
  [/^Requests of one address without/, `${REFUSALS_PER_MINUTE} a minute`],
  [/^Audit rows per address, and per key/, `${REFUSALS_PER_MINUTE} a minute`],
  [/^Path in the audit log/, `${LONGEST_PATH} characters`],
  [/^Look-ups of keys that wait/, String(WAITING)],
  [/^Cache time for unknown keys/, seconds(UNKNOWN_MS)],
  [/^Cache time for a key while/, seconds(LAST_KNOWN_MS)],
  [/^Wrong codes of the first start/, `${WRONG_CODES_PER_MINUTE} a minute`],
  [/^Entries that the audit log counts/, String(TOTAL_CAP)],
  [/^Range of the audit log without/, `${USUAL_RANGE_MS / 86_400_000} days`],
  [/^Range of an exact path/, `${LONGEST_PATH_RANGE_MS / 3_600_000} h`],
  [/^Faults that a refusal lists/, String(LISTED)],
  [/^Grace of a rolled key/, `0 to ${MAX_GRACE_HOURS} h, ${new RollApiKeyDto().grace_hours} by default`],
  [/^`API_KEY_PEPPER` and `SECRETS_KEY`/, `${SHORTEST_SECRET} characters at least`],
  [/^Models of a key/, String(MAX_MODELS)],
  [/^Streams of events of a key/, String(STREAMS_PER_KEY)],
  [/^Streams of events of an instance/, String(STREAMS_PER_INSTANCE)],
  [/^Streams of events of test keys/, String(STREAMS_PER_INSTANCE - STREAMS_OF_LIVE)],
  [/^Fetches of attachment URLs of a key/, `${FETCHES_OF_A_KEY} at a time`],
  [/^Unread data of a stream/, kib(UNREAD_OF_STREAM / 1_024)],
  [/^Unread data of all/, kib(UNREAD_OF_ALL / 1_024)],
  [/^Uploads of a key/, String(UPLOADS_OF_KEY)],
  [/^Uploads of an environment/, String(UPLOADS_OF_ENVIRONMENT)],
  [/^AI budget of an environment/, (usd) => `${usd} USD a day`],
  [/^AI budget of an environment in a month/, (usd) => (usd === 'null' ? 'none' : `${usd} USD a month`)],
  [/^AI answers to one person/, () => 'a twentieth of the daily budget, at least 0.50 USD a day'],
  [/^`options.max_tokens`/, String],
  [/^AI replies of an environment/, (count) => `${count} a minute`],
  [/^Answers of the AI at once/, String],
];

function defaultOf(variable: string): string {
  const [, name = ''] = /`(.+)`/.exec(variable) ?? [];
  if (!variable.startsWith('setting')) return CONFIGURATION_VARIABLES.find((row) => row.name === name)?.default ?? name;
  const setting = name
    .split('.')
    .reduce<unknown>((holder, field) => Reflect.get(Object(holder) as object, field), settings);
  return String(setting);
}

it('docs/limits.md lists the limits of the code, each with its variable or setting', () => {
  const documented = rows.map(([what, limit]) => [what, limit]);
  const ofCode = rows.map(([what, , variable], index) => {
    const [pattern, limit] = FIGURES[index]!;
    expect(what).toMatch(pattern);
    expect(variable !== '').toBe(typeof limit === 'function');
    return [what, typeof limit === 'function' ? limit(defaultOf(variable)) : limit];
  });
  expect(documented).toEqual(ofCode);
  expect(rows).toHaveLength(FIGURES.length);
});
