import { withClient, type Stage } from '../stage';
import { filledDatabase } from '../list/gateway-database';

/** A disabled webhook: the gateway sends nothing to it. */
const WEBHOOK = '00000000-0000-7000-9000-000000000001';
const KEY = '00000000-0000-7000-9000-000000000002';

/** Rows around a message are younger than the retention time, so the gateway deletes none of them during the bench. */
const AT = `now() - (now() - m.created_at) / 4`;

/** Ids of events, in order of time: the message's own id, and a second id next to it. */
const FIRST_ID = 'm.id';
const SECOND_ID = `overlay(m.id::text PLACING '9' FROM 20 FOR 1)::uuid`;

/** Fills the tables around messages, one statement each. */
const AROUND = [
  `INSERT INTO webhooks (id, environment, url, events, status, secret, created_at, updated_at)
   VALUES ('${WEBHOOK}', 'test', 'https://shop.example/hook', '{*}', 'disabled', '\\x00', now(), now())`,
  `INSERT INTO events (id, environment, type, body, created_at)
   SELECT ${FIRST_ID}, 'test', type, ${eventBody('type')}, ${AT}
   FROM messages m, LATERAL (SELECT CASE direction WHEN 'inbound' THEN 'message.received' ELSE 'message.sent' END) t (type)`,
  `INSERT INTO events (id, environment, type, body, created_at)
   SELECT ${SECOND_ID}, 'test', 'message.delivered', ${eventBody(`'message.delivered'`)}, ${AT}
   FROM messages m WHERE direction = 'outbound'`,
  `INSERT INTO webhook_dispatches (event_id, webhook_id, state, attempts, created_at, delivered_at)
   SELECT m.id, '${WEBHOOK}', 'delivered', 1, ${AT}, ${AT} FROM messages m`,
  `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, attempt, status, response_code, response_time_ms,
     url, response_headers, response_body, created_at)
   SELECT m.id, '${WEBHOOK}', m.id, 'message.received', 1, 'success', 200, m.seq % 300, 'https://shop.example/hook',
     json_build_object('content-type', 'application/json', 'x-request-id', md5(m.seq::text)), '{"ok":true}', ${AT}
   FROM messages m`,
  `INSERT INTO audit_log (id, environment, api_key_id, masked_key, method, path, route, client_ip, status, request_id,
     duration_ms, created_at)
   SELECT m.id, 'test', '${KEY}', 'service_sk_test_bench***', 'POST', '/api/v1/messages/send', '/api/v1/messages/send',
     '10.0.' || m.seq % 250 || '.7', 200, gen_random_uuid(), random() * 20, ${AT}
   FROM messages m WHERE direction = 'outbound'`,
  `INSERT INTO message_parts (message_id, part_index, environment, platform, platform_message_id, status, recorded_at)
   SELECT m.id, part, 'test', m.platform, md5(m.seq || '-' || part), 'sent', m.created_at
   FROM messages m, generate_series(0, 1) part WHERE direction = 'outbound' AND m.seq % 20 = 0`,
  `INSERT INTO idempotent_requests (api_key_id, key, fingerprint, resource_id, outcome, lease_until, created_at)
   SELECT '${KEY}', gen_random_uuid()::text, sha256(m.id::text::bytea), m.id, '{"status":"delivered"}', now(), now()
   FROM messages m WHERE direction = 'outbound' AND m.seq % 20 = 0`,
];

function eventBody(type: string): string {
  return `json_build_object('id', 'evt_' || md5(m.id::text || ${type}), 'type', ${type}, 'created_at', m.created_at,
     'data', json_build_object('environment', 'test', 'message_id', 'msg_' || md5(m.id::text), 'conversation_id',
       'conv_' || md5(m.conversation_id::text), 'platform', m.platform, 'content', m.content))::text`;
}

/** Creates a database with messages and the rows that the gateway stores around them; no work is due. @returns its URL */
export async function fullDatabase(stage: Stage, messages: number): Promise<string> {
  const url = await filledDatabase(stage, messages);
  await withClient(url, async (client) => {
    await client.query('SET synchronous_commit = off');
    for (const statement of AROUND) await client.query(statement);
    await client.query('VACUUM ANALYZE');
  });
  return url;
}
