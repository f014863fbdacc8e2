import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { ERROR_EXAMPLES } from '../../core/openapi/error-responses';
import { EXAMPLE_TIME } from '../../core/openapi/example-of';
import { MetaDto } from '../../core/openapi/meta.dto';
import { GeneratedDto } from './ai.dto';

@ApiSchema({ name: 'GenerateDelta', description: 'Data of `event: delta`: the next piece of the answer.' })
class GenerateDeltaDto {
  @ApiProperty({ description: 'Text of the piece.', example: 'We open ' })
  text!: string;
}

@ApiSchema({ name: 'GenerateResult', description: 'Response envelope.' })
class GenerateResultDto {
  @ApiProperty({ type: 'boolean', enum: [true], description: 'Always true.' })
  success!: true;

  @ApiProperty({ description: 'The generated answer.' })
  data!: GeneratedDto;

  @ApiProperty({ description: 'Metadata of the response.' })
  meta!: MetaDto;
}

const RESULT: GenerateResultDto = {
  success: true,
  data: {
    response: 'We open at nine.',
    model: 'claude-sonnet-5-5',
    tokens: { input: 212, output: 58 },
    latency_ms: 1_240,
  },
  meta: { request_id: 'req_01h455vb4pex5vsknk084sn02q', timestamp: EXAMPLE_TIME },
};

const DESCRIPTION = `Server-sent events. \`delta\`: the next piece of the answer (\`GenerateDelta\`). The last event is either
\`result\`, the envelope as without streaming (\`GenerateResult\`), or \`error\`, the body of an error (\`Error\`), if the answer was
interrupted. If a model declines before the first delta, the fallback models are asked. If it declines later, the stream ends with
\`error\` of type \`refusal\`: discard the text.`;

/** One event in the wire format. */
const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const begun = event('delta', { text: 'We open ' });

const STREAM = {
  schema: {
    type: 'string',
    description: DESCRIPTION,
    contentMediaType: 'text/event-stream',
    contentSchema: {
      description: 'The data of one event, as JSON.',
      anyOf: ['GenerateDelta', 'GenerateResult', 'Error'].map((name) => ({ $ref: getSchemaPath(name) })),
    },
  },
  examples: {
    answer: {
      summary: 'An answer in two pieces',
      value: begun + event('delta', { text: 'at nine.' }) + event('result', RESULT),
    },
    failure: {
      summary: 'An interrupted answer',
      value: begun + event('error', ERROR_EXAMPLES['AI_PROVIDER_ERROR']!.value),
    },
  },
};

/** Documents the answer in its two forms: whole in the envelope, and as a stream of events. */
export function ApiGenerateAnswer(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(GenerateDeltaDto, GenerateResultDto),
    ApiResponse({
      status: 200,
      description: 'Success.',
      content: {
        'application/json': { schema: { $ref: getSchemaPath('GenerateResult') } },
        'text/event-stream': STREAM,
      },
    }),
  );
}
