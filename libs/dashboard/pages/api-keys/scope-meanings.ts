import type { ApiKey } from '#client';

type Scope = ApiKey['scopes'][number];

export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  'read:status': 'See the status of the gateway, the AI and the integrations',
  'read:conversations': 'See conversations',
  'read:messages': 'See the messages',
  'write:messages': 'Send messages, generate answers, change conversations',
  'admin:settings': 'Change settings and webhooks; see statistics and the audit log',
  'admin:users': 'Create, change and revoke keys, erase people’s data',
  '*': 'Everything',
};

export const ALL_SCOPES = Object.keys(SCOPE_MEANINGS) as Scope[];
