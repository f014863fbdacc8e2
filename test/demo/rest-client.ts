/** The parts of an API answer that the demonstration shows. */
export interface RestAnswer<T> {
  /** `GET /api/v1/messages` */
  request: string;
  status: number;
  data: T;
  meta: { request_id: string; pagination?: { total: number } };
}

/** A minimal API client: fetch and a bearer token. */
export class RestClient {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  get<T>(path: string): Promise<RestAnswer<T>> {
    return this.call<T>('GET', path);
  }

  post<T>(path: string, body: unknown): Promise<RestAnswer<T>> {
    return this.call<T>('POST', path, JSON.stringify(body), { 'content-type': 'application/json' });
  }

  /** Uploads a file as a multipart form. */
  upload<T>(path: string, filename: string, bytes: Uint8Array): Promise<RestAnswer<T>> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)]), filename);
    return this.call<T>('POST', path, form);
  }

  /** @throws for any answer other than success */
  private async call<T>(
    method: string,
    path: string,
    body?: string | FormData,
    headers: Record<string, string> = {},
  ): Promise<RestAnswer<T>> {
    const response = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.apiKey}`, ...headers },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(15_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    const { data, meta } = JSON.parse(text) as Pick<RestAnswer<T>, 'data' | 'meta'>;
    return { request: `${method} /api/v1${path}`, status: response.status, data, meta };
  }
}
