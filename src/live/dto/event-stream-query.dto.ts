import { constraint, field } from '../../core/validation/fields/field.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { SELECTORS } from '../event-selection';

/** One of the selectors, as a regular expression. */
const SELECTOR = `(${SELECTORS.map((word) => word.replace('.', String.raw`\.`).replace('*', String.raw`\*`)).join('|')})`;
const SELECTION = `^${SELECTOR}(,${SELECTOR})*$`;
const MATCHER = new RegExp(SELECTION);

/** Event types and families, separated by commas. */
function SelectionField(description: string): PropertyDecorator {
  return field(
    { type: String, pattern: SELECTION },
    { optional: true, description, example: 'message.*,integration.disconnected' },
    constraint(
      'selection',
      `must be a comma-separated list of ${SELECTORS.join(', ')}`,
      (value) => typeof value === 'string' && MATCHER.test(value),
    ),
  );
}

export class EventStreamQuery {
  @SelectionField(
    'Only these event types, separated by commas; `message.*` stands for a family. By default all that the key may see.',
  )
  types?: string;

  @TextField({
    max: 100,
    optional: true,
    description: 'Resumes after this event, as the header `Last-Event-ID` does, which takes precedence.',
    example: 'evt_01h455vb4pex5vsknk084sn02q',
  })
  last_event_id?: string;
}
