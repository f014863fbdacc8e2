import { fromPublicId } from '#contracts';
import { constraint, field } from '../../core/validation/fields/field.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { publicIdSchema } from '../../core/openapi/api-id.decorator';
import { SELECTORS } from '../event-selection';

/** Event types and families, separated by commas. */
function SelectionField(description: string): PropertyDecorator {
  return field(
    { type: String, pattern: '^[a-z_.*]+(,[a-z_.*]+)*$' },
    { optional: true, description, example: 'message.*,integration.disconnected' },
    constraint(
      'selection',
      `must be a comma-separated list of ${SELECTORS.join(', ')}`,
      (value) => typeof value === 'string' && value.split(',').every((name) => SELECTORS.includes(name)),
    ),
  );
}

const ID = publicIdSchema('account').pattern.slice(1, -1);

/** Ids of accounts, separated by commas. */
function AccountsField(): PropertyDecorator {
  return field(
    { type: String, pattern: `^${ID}(,${ID})*$` },
    {
      optional: true,
      description:
        'Return only the events of these accounts, and those about no account: ids separated by commas. Default: all accounts.',
      example: 'acc_01h455vb4pex5vsknk084sn02q',
    },
    constraint(
      'accounts',
      'must be a comma-separated list of ids of accounts',
      (value) => typeof value === 'string' && value.split(',').every((id) => fromPublicId('account', id) !== undefined),
    ),
  );
}

export class EventStreamQuery {
  @SelectionField(
    `Return only these event types: one or more of ${SELECTORS.join(', ')}, separated by commas. Default: all types that the key may see.`,
  )
  types?: string;

  @AccountsField()
  accounts?: string;

  @TextField({
    max: 100,
    optional: true,
    description: 'Resume after this event. The header `Last-Event-ID` does the same and takes precedence.',
    example: 'evt_01h455vb4pex5vsknk084sn02q',
  })
  last_event_id?: string;
}
