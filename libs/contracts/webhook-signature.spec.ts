import { signStandardWebhook, signWebhookBody } from './webhook-signature';

describe(signWebhookBody.name, () => {
  it('is the HMAC-SHA256 of the body in lower-case hex', () => {
    // RFC 4231, test case 2
    expect(signWebhookBody('Jefe', 'what do ya want for nothing?')).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('covers the UTF-8 bytes of the body', () => {
    expect(signWebhookBody('secret', '"ä"')).not.toBe(signWebhookBody('secret', '"a"'));
  });
});

describe(signStandardWebhook.name, () => {
  it('gives the signature of the Standard Webhooks reference library', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(signStandardWebhook(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('uses the bytes of the text as the key if a secret is not base64', () => {
    const sign = (secret: string) => signStandardWebhook(secret, 'evt_1', 1, '{}');
    expect(new Set(['plain text secret', 'whsec_', 'whsec_not base64!', 'whsec_other base64'].map(sign)).size).toBe(4);
  });
});
