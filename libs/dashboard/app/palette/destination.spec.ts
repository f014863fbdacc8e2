import { destinationOf } from './destination';

const ID = '01h455vb4pex5vsknk084sn02q';

describe(destinationOf, () => {
  it.each([
    [`msg_${ID}`, '/messages/$messageId', { messageId: `msg_${ID}` }],
    [`conv_${ID}`, '/conversations/$conversationId', { conversationId: `conv_${ID}` }],
    [`  evt_${ID} `, '/events/$eventId', { eventId: `evt_${ID}` }],
    [`wh_${ID}`, '/webhooks/$webhookId', { webhookId: `wh_${ID}` }],
    [`del_${ID}`, '/deliveries/$deliveryId', { deliveryId: `del_${ID}` }],
    [`key_${ID}`, '/api-keys/$keyId', { keyId: `key_${ID}` }],
    [`bak_${ID}`, '/system', undefined],
  ])('leads from the id %s to %s', (text, to, params) => {
    const { link } = destinationOf(text)!;
    expect([link.to, link.params]).toEqual([to, params]);
  });

  it('leads from a request to its entry in the audit log', () => {
    expect(destinationOf(`req_${ID}`)?.link).toEqual({ to: '/audit-log', search: { request_id: `req_${ID}` } });
  });

  it('leads from a phone number, however it is written, to the conversations with it', () => {
    expect(destinationOf('+49 170 123-4567')?.link).toEqual({ to: '/conversations', search: { q: '491701234567' } });
  });

  it.each(['', 'Ada', 'msg_1', '12', `xyz_${ID}`])('leads from %j nowhere', (text) => {
    expect(destinationOf(text)).toBeUndefined();
  });
});
