/* The parts of libs/contracts that check a delivery: they need Node's crypto, and no page holds a webhook's secret. */
export { isEqualInConstantTime } from '../contracts/constant-time';
export { signStandardWebhook, signWebhookBody } from '../contracts/webhook-signature';
