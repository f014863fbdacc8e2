/** The action of a request, with the words of a sentence after the key's name. */
export interface AuditAction {
  method: string;
  route: string;
  /** The action's name in the filter. */
  title: string;
  did: string;
  /** The verb after "could not". */
  infinitive: string;
  /** The object of the sentence. */
  object: string;
}

const action = (method: string, path: string, [infinitive, did]: readonly [string, string], object: string) => {
  const words = `${infinitive} ${object}`;
  return {
    method,
    route: `/api/v1${path}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    did,
    infinitive,
    object,
  } satisfies AuditAction;
};

/** All actions that change data, grouped by subject. */
export const AUDIT_ACTIONS: readonly AuditAction[] = [
  action('PATCH', '/admin/settings', ['change', 'changed'], 'the settings'),
  action('POST', '/admin/api-keys', ['create', 'created'], 'a key'),
  action('PATCH', '/admin/api-keys/:id', ['change', 'changed'], 'a key'),
  action('POST', '/admin/api-keys/:id/roll', ['roll', 'rolled'], 'a key'),
  action('DELETE', '/admin/api-keys/:id', ['revoke', 'revoked'], 'a key'),
  action('POST', '/webhooks', ['create', 'created'], 'a webhook'),
  action('PATCH', '/webhooks/:id', ['change', 'changed'], 'a webhook'),
  action('DELETE', '/webhooks/:id', ['delete', 'deleted'], 'a webhook'),
  action('POST', '/webhooks/:id/test', ['test', 'tested'], 'a webhook'),
  action('POST', '/webhooks/:id/replay', ['replay', 'replayed'], 'the missed events of a webhook'),
  action('POST', '/webhooks/:id/deliveries/:id/redeliver', ['repeat', 'repeated'], 'a delivery'),
  action('POST', '/messages/send', ['send', 'sent'], 'a message'),
  action('DELETE', '/messages/:id', ['cancel', 'cancelled'], 'a scheduled message'),
  action('PATCH', '/conversations/:id', ['change', 'changed'], 'a conversation'),
  action('DELETE', '/conversations/:id', ['erase', 'erased'], 'a conversation'),
  action('POST', '/conversations/:id/answer', ['ask', 'asked'], 'the assistant again'),
  action('POST', '/conversations/:id/clear', ['clear', 'cleared'], 'the context of a conversation'),
  action('POST', '/conversations/:id/handover', ['take over', 'took over'], 'a conversation'),
  action('POST', '/conversations/:id/resume', ['hand back', 'handed back'], 'a conversation to the assistant'),
  action('POST', '/media', ['upload', 'uploaded'], 'a file'),
  action('POST', '/ai/generate', ['generate', 'generated'], 'an answer'),
  action('POST', '/ai/preview', ['try', 'tried'], 'other AI settings'),
  action('PUT', '/ai/providers/:id', ['set', 'set'], 'the key of an AI provider'),
  action('DELETE', '/ai/providers/:id', ['remove', 'removed'], 'the key of an AI provider'),
  action('POST', '/tools', ['create', 'created'], 'a tool'),
  action('PATCH', '/tools/:id', ['change', 'changed'], 'a tool'),
  action('DELETE', '/tools/:id', ['delete', 'deleted'], 'a tool'),
  action('POST', '/tools/:id/test', ['test', 'tested'], 'a tool'),
  action('POST', '/integrations', ['add', 'added'], 'an account of a platform'),
  action('PATCH', '/integrations/:id', ['change', 'changed'], 'an account of a platform'),
  action('DELETE', '/integrations/:id', ['remove', 'removed'], 'an account of a platform'),
  action('POST', '/problems/:id/dismiss', ['dismiss', 'dismissed'], 'a problem'),
  action('POST', '/integrations/:id/reconnect', ['reconnect', 'reconnected'], 'a platform'),
  action('POST', '/templates/sync', ['refresh', 'refreshed'], 'the WhatsApp templates'),
  action('POST', '/admin/backups', ['start', 'started'], 'a backup'),
  action('POST', '/admin/backups/:id/verify', ['verify', 'verified'], 'a backup'),
  action('POST', '/sandbox/inbound', ['simulate', 'simulated'], 'an inbound message'),
  action('POST', '/dashboard/exchange', ['sign in', 'signed in'], 'with the link of the first start'),
];

/** The action of a route. Ignores the names of the route's parameters. */
export function actionOf(method: string, route: string | null): AuditAction | undefined {
  const general = route?.replaceAll(/:\w+/g, ':id');
  return AUDIT_ACTIONS.find((each) => each.method === method && each.route === general);
}
