import type { NoticeSeverity } from '#contracts';

/** A platform's notice about the account itself: a ban, a quality rating, a missed call, a new group. */
export interface AccountNotice {
  /** A stable word, for grouping: `account_update`, `phone_number_quality_update`, `call_ended`, `added_to_group`. */
  kind: string;
  severity: NoticeSeverity;
  /** A sentence for the operator. */
  message: string;
  /** The platform's own fields, at most 16 KiB as JSON. */
  data: Readonly<Record<string, unknown>>;
  /** Missing if the platform does not say. */
  occurredAt?: Date;
}

/** A person stopped or allowed the marketing messages of the business. */
export interface MarketingPreference {
  participantId: string;
  allowed: boolean;
  at: Date;
}

/** A limit was met: the platform refused a call for it, or its library held one back. */
export interface RateLimitNotice {
  /** Which call: a method or a route without ids (`sendMessage`, `POST /channels/:id/messages`), for it is a metric's label. */
  call: string;
}
