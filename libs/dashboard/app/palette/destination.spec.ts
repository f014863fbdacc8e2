import { destinationOf } from './destination';

const ID = '01h455vb4pex5vsknk084sn02q';

describe(destinationOf, () => {
  it.each([
    [`msg_${ID}`, '/messages/$messageId', { messageId: `msg_${ID}` }],
    [`conv_${ID}`, '/conversations/$conversationId', { conversationId: `conv_${ID}` }],
    [`  evt_${ID} `, '/events/$eventId', { eventId: `evt_${ID}` }],
    [`wh_${ID}`, '/webhooks/$webhookId', { webhookId: `wh_${ID}` }],
    [`tool_${ID}`, '/tools/$toolId', { toolId: `tool_${ID}` }],
    [`del_${ID}`, '/deliveries/$deliveryId', { deliveryId: `del_${ID}` }],
    [`key_${ID}`, '/api-keys/$keyId', { keyId: `key_${ID}` }],
    [`acc_${ID}`, '/accounts/$accountId', { accountId: `acc_${ID}` }],
    [`bak_${ID}`, '/system', undefined],
  ])('opens the page of the id %s at %s', (text, to, params) => {
    const { link } = destinationOf(text)!;
    expect([link.to, link.params]).toEqual([to, params]);
  });

  it('opens the audit log entry of a request id', () => {
    expect(destinationOf(`req_${ID}`)?.link).toEqual({ to: '/audit-log', search: { request_id: `req_${ID}` } });
  });

  it('opens the conversations of a phone number in any notation', () => {
    expect(destinationOf('+49 170 123-4567')?.link).toEqual({ to: '/conversations', search: { q: '491701234567' } });
  });

  it.each(['', 'Ada', 'msg_1', '12', `xyz_${ID}`])('finds no page for %j', (text) => {
    expect(destinationOf(text)).toBeUndefined();
  });
});
