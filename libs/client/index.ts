export * from './browser';
export {
  verifyWebhook,
  WebhookVerificationError,
  type VerificationFailure,
  type WebhookHeaders,
  type WebhookToVerify,
} from './verify-webhook';
