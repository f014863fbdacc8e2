import { MULTIPART } from './multipart';
import { examplesOf, type OpenApiDocument, type Operation, type ParameterObject } from './document';

/** One request, made of a document's examples. */
export interface ExampleRequest {
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** An example's id → the id of what a test has put in its place, by prefix (`msg`). */
export type Fixtures = Readonly<Record<string, string>>;

/** Every request that the examples of an operation make: each body, each parameter alone, and each form of the answer. */
export function exampleRequests(document: OpenApiDocument, operation: Operation, fixtures: Fixtures): ExampleRequest[] {
  const { method, operationId, parameters = [], requestBody, responses } = operation;
  const path = withReal(operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOfPath(operation, name)));
  const [[firstName, firstBody], ...others] = bodies();
  const isUpload = requestBody?.content['multipart/form-data'] !== undefined;
  const plain = {
    name: `${operationId} ${firstName}`,
    method,
    path,
    headers: (isUpload ? { 'content-type': MULTIPART.type } : {}) as Record<string, string>,
    body: isUpload ? MULTIPART.body : firstBody,
  };
  return [
    plain,
    ...others.map(([name, body]) => ({ ...plain, name: `${operationId} ${name}`, body })),
    ...parameters.filter((parameter) => parameter.in !== 'path').flatMap(withParameter),
    ...otherForms(),
  ];

  function bodies(): [[string, unknown], ...[string, unknown][]] {
    const json = requestBody?.content['application/json'];
    const [first, ...rest] = json ? examplesOf(document, json) : [];
    if (json && !first) throw new Error(`${operationId} has no example`);
    const real = ([name, body]: [string, unknown]): [string, unknown] => [name, withReal(body)];
    return [first ? real(first) : ['without a body', undefined], ...rest.map(real)];
  }

  function withParameter(parameter: ParameterObject): ExampleRequest[] {
    const { name, schema } = parameter;
    const example = parameter.example ?? schema.example ?? schema.default ?? schema.enum?.[0] ?? schema.minimum;
    const text = withReal(String(example as string | number | boolean));
    const named = { ...plain, name: `${operationId} ${name}` };
    if (parameter.in === 'header') {
      // An idempotency key belongs to one request.
      const value = name === 'Idempotency-Key' ? `${text}-${operationId}` : text;
      return [{ ...named, headers: { [name]: value } }];
    }
    return [{ ...named, path: `${path}?${new URLSearchParams({ [name]: text }).toString()}` }];
  }

  function otherForms(): ExampleRequest[] {
    const success = Object.entries(responses).find(([status]) => status.startsWith('2'))![1];
    const forms = Object.keys(success.content ?? {}).filter((mediaType) => mediaType !== 'application/json');
    return forms.map((accept) => ({ ...plain, name: `${operationId} as ${accept}`, headers: { accept } }));
  }

  function withReal<T>(value: T): T {
    const real = (id: string, prefix: string) => fixtures[prefix] ?? id;
    if (value === undefined) return value;
    return JSON.parse(JSON.stringify(value).replaceAll(/\b([a-z]+)_01h455vb4pex5vsknk084sn02q\b/g, real)) as T;
  }
}

function exampleOfPath({ operationId, parameters = [] }: Operation, name: string): string {
  const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
  if (typeof parameter?.example !== 'string') throw new Error(`${operationId} has no example of ${name}`);
  return parameter.example;
}
