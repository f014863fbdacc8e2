import { signStandardWebhook, signWebhookBody } from './webhook-signature';

describe(signWebhookBody.name, () => {
  it('is the lower-case hex HMAC-SHA256 of the UTF-8 body (RFC 4231, test case 2)', () => {
    expect(signWebhookBody('Jefe', 'what do ya want for nothing?')).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });
});

describe(signStandardWebhook.name, () => {
  it('agrees with the example of the Standard Webhooks specification', () => {
    expect(
      signStandardWebhook(
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        'msg_p5jXN8AQM9LWM0D4loKWxJek',
        1614265330,
        '{"test": 2432232314}',
      ),
    ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});
