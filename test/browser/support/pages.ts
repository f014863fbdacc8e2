/** The pages of the dashboard that need no id in their address, with their headings. */
export const PAGES = [
  ['/', 'Overview'],
  ['/conversations', 'Conversations'],
  ['/playground', 'Playground'],
  ['/statistics', 'Statistics'],
  ['/api-keys', 'API keys'],
  ['/webhooks', 'Webhooks'],
  ['/tools', 'Tools'],
  ['/audit-log', 'Audit log'],
  ['/accounts', 'Accounts'],
  ['/settings', 'Settings'],
  ['/system', 'System'],
] as const;
