export * from './browser';
export { signTestWebhook, type SignedTestWebhook, type TestWebhookParams } from './webhooks/sign-test-webhook';
export {
  verifyWebhook,
  WebhookVerificationError,
  type VerificationFailure,
  type WebhookHeaders,
  type WebhookVerifyParams,
} from './webhooks/verify-webhook';
