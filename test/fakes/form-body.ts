/** A file of a multipart form. */
export interface FormFile {
  /** The field's name. */
  name: string;
  filename: string;
  type: string;
  bytes: Buffer;
}

export async function readForm(body: Buffer, contentType: string) {
  const form = await new Response(body as Uint8Array<ArrayBuffer>, {
    headers: { 'content-type': contentType },
  }).formData();
  const fields: Record<string, unknown> = {};
  const files: FormFile[] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value;
    else files.push({ name, filename: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return { fields, files };
}
