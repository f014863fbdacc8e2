/**
 * Columns of text, JSON or bytes that hold no personal data of the people in conversations, and why. An erasure must
 * cover every other one. Columns for words of a fixed list or the gateway's own ids need no line: see `WORDS`.
 */
export const NOT_PERSONAL: Readonly<Record<string, string>> = {
  'accounts.credentials': 'sealed, of the operator’s bot or number',
  'accounts.external_id': 'of the operator’s bot or number',
  'accounts.name': 'the operator chose it',
  'accounts.settings': 'the operator chose them',
  'ai_budget_notices.owner': 'an environment or a key',
  'ai_spending.owner': 'an environment, a key, or the HMAC of a person, kept for days',
  'ai_providers.api_key': 'of the operator',
  'ai_providers.base_url': 'of the operator',
  'ai_providers.name': 'fixed words',
  'api_keys.allowed_ips': 'of the operator',
  'api_keys.created_by': 'a key',
  'api_keys.digest': 'of a key',
  'api_keys.last_address': 'of the operator',
  'api_keys.last_four': 'of a key',
  'api_keys.name': 'the operator chose it',
  'api_keys.previous_digest': 'of a key',
  'api_keys.retired_digests': 'of a key',
  'audit_log.client_ip': 'of the API’s client',
  'audit_log.masked_key': 'of a key',
  'audit_log.path': 'ids alone: it has no query string',
  'backups.error': 'of a file or a database',
  'backups.file': 'a name of the gateway’s own',
  'backups.folder': 'an id',
  'backups.remote': 'an address of the operator',
  'backups.sha256': 'of a backup',
  'backups.verify_error': 'of a file or a database',
  'deployment.name': 'fixed words',
  'deployment.value': 'fingerprints and times',
  'early_receipts.pricing': 'words and a calling code',
  'erased_message_ids.digest': 'an HMAC, kept for 30 days',
  'idempotent_requests.fingerprint': 'a digest, kept for a day',
  'idempotent_requests.key': 'the client chose it; kept for a day',
  'integration_health.last_error': 'of a connection',
  'integration_notices.cause': 'words of the platform, and an account of the operator',
  'integration_notices.message': 'of an account of the operator',
  'integration_notices.severity': 'fixed words',
  'integrations.details': 'of the bot',
  'integrations.reason': 'of a connection',
  'mail_outbox.error': 'of the mail server',
  'media_files.sha256': 'goes with the last attachment of the bytes',
  'message_parts.billing': 'an amount, words and a calling code',
  'message_templates.components': 'the operator wrote it',
  'message_templates.id': 'of a template',
  'message_templates.name': 'of a template',
  'platform_usage.country': 'a calling code',
  'reply_tasks.last_error': 'words of the AI provider; the row is deleted',
  'settings.document': 'the operator wrote it',
  'tool_calls.name': 'of a tool',
  'tools.description': 'the operator wrote it',
  'tools.name': 'the operator chose it',
  'tools.parameters': 'the operator wrote it',
  'tools.previous_secret': 'of the operator',
  'tools.secret': 'of the operator',
  'tools.url': 'of the operator',
  'webhook_deliveries.error': 'the gateway’s own words',
  'webhook_deliveries.url': 'of the operator',
  'webhooks.accounts': 'ids of accounts',
  'webhooks.previous_secret': 'of the operator',
  'webhooks.secret': 'of the operator',
  'webhooks.url': 'of the operator',
};

/** Names of columns whose values are words of fixed lists, languages, models, routes or trace ids, in any table. */
const WORDS =
  /^(?:(?:platform|account|status|direction|kind|method|route|type|event_type|events|state|reason_code|error_code|last_error_code|period|tier|scopes|trigger|field|handling|category|language|parameter_format|announced|confirmation|sent_by|mime_type|model|ai_model|ai_models|traceparent)|(?:name)@timers|(?:source)@accounts|(?:status)@.*|(?:reason|waits_for)@handovers|(?:reason|ended_by)@past_handovers)$/;

/** Whether a column holds words of a fixed list. */
export function isWord(table: string, column: string): boolean {
  return WORDS.test(column) || WORDS.test(`${column}@${table}`);
}
