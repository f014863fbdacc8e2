/** A message template, as the platform lists it. */
export interface PlatformTemplate {
  /** The platform's own id. */
  id: string;
  name: string;
  /** Like `en_US` or `de`. */
  language: string;
  /** `MARKETING`, `UTILITY` or `AUTHENTICATION`; the platform may add words. */
  category: string;
  /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`…; the platform may add words. */
  status: string;
  /** How its text names its parameters: `{{1}}` or `{{name}}`. */
  parameterFormat: 'POSITIONAL' | 'NAMED';
  components: readonly TemplateComponent[];
}

/** As the platform describes it: header, body, footer or buttons. */
export interface TemplateComponent {
  type: string;
  format?: string;
  text?: string;
  buttons?: readonly { type: string; text?: string; url?: string }[];
  [more: string]: unknown;
}

/** A template to send, with its parameters in the platform's form. */
export interface TemplateMessage {
  name: string;
  language: string;
  components: readonly object[];
}
