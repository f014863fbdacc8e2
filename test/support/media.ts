import { createHash } from 'node:crypto';
import type { Attachment } from '#contracts';
import { checkAnswer } from './contract';
import type { ApiAnswer, ApiBody } from './api';
import type { TestGateway } from './gateway';

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

interface Upload {
  key?: string;
  filename?: string;
  /** The media type that the client claims. */
  type?: string;
}

/** `POST /media` as browsers and curl send it. */
export async function upload(
  gateway: TestGateway,
  bytes: Buffer | readonly Buffer[],
  { key = gateway.liveKey, filename = 'photo.png', type = 'application/octet-stream' }: Upload = {},
): Promise<ApiAnswer<Attachment>> {
  const form = new FormData();
  for (const part of Buffer.isBuffer(bytes) ? [bytes] : bytes) {
    form.append('file', new Blob([new Uint8Array(part)], { type }), filename);
  }
  return postForm(gateway, form, key);
}

export async function postForm(gateway: TestGateway, form: FormData, key: string): Promise<ApiAnswer<Attachment>> {
  const path = '/api/v1/media';
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const headers = Object.fromEntries(answer.headers);
  const body = (await answer.json()) as ApiBody<Attachment>;
  await checkAnswer(gateway.url, { method: 'POST', path, status: answer.status, headers, body });
  return { status: answer.status, headers, body };
}

/** `GET /attachments/{id}/content` */
export async function content(
  gateway: TestGateway,
  id: string,
  headers: Record<string, string> = {},
  key = gateway.liveKey,
): Promise<{ status: number; headers: Record<string, string>; bytes: Buffer }> {
  const answer = await fetch(`${gateway.url}/api/v1/attachments/${id}/content`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: Object.fromEntries(answer.headers), bytes };
}
