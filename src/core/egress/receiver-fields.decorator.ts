import { TextField, type TextOptions } from '../validation/fields/text-fields.decorator';
import { MAX_URL_LENGTH } from './address-guard.service';

type Options = Pick<TextOptions, 'description' | 'example' | 'optional'>;

/** A URL that the gateway posts to: `AddressGuard` decides. */
export function ReceiverUrlField(options: Options): PropertyDecorator {
  return TextField({ max: MAX_URL_LENGTH, format: 'uri', ...options });
}

/**
 * A text that begins like a secret of Standard Webhooks goes on as base64 (RFC 4648, 4), with its padding and no bits left
 * over: the libraries of receivers decode it strictly.
 */
const SECRET =
  /^(?!whsec_)|^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)$/;

/** A signing secret. Its value is never repeated back. */
export function SecretField({ description, ...options }: Options): PropertyDecorator {
  return TextField({
    min: 16,
    max: 256,
    writeOnly: true,
    form: { matches: SECRET, requirement: 'must be base64 after "whsec_"' },
    description: `${description} After the prefix \`whsec_\`, a secret must be base64.`,
    ...options,
  });
}
