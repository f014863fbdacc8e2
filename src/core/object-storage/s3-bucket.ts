import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { percentDecoded } from '../percent-decoded';
import { objectAddress } from './object-address';

/** A folder of S3-compatible storage. */
export class S3Bucket {
  readonly client: S3Client;
  readonly bucket: string;
  /** Ends in a slash, unless it is empty. */
  readonly prefix: string;
  /** Without credentials. */
  readonly address: string;

  /** @param url `https://ACCESS_KEY:SECRET@host/bucket/prefix?region=eu-central-1` */
  constructor(url: URL) {
    const [bucket = '', ...prefix] = url.pathname.split('/').filter(Boolean).map(percentDecoded);
    this.address = objectAddress(url);
    this.bucket = bucket;
    this.prefix = prefix.map((part) => `${part}/`).join('');
    this.client = new S3Client({
      endpoint: url.origin,
      region: url.searchParams.get('region') ?? 'us-east-1',
      forcePathStyle: true,
      credentials: {
        accessKeyId: percentDecoded(url.username),
        secretAccessKey: percentDecoded(url.password),
      },
      maxAttempts: 5,
    });
  }

  /** The address of an object, for a command. */
  object(name: string) {
    return { Bucket: this.bucket, Key: this.prefix + name };
  }
}

/** Names the storage's answer, or the code of the failed connection. The messages of the SDK and of Node are in the log. */
export function storageFault(error: unknown): string {
  if (error instanceof S3ServiceException)
    return `the storage answered ${error.$metadata.httpStatusCode ?? ''} ${error.name}`.replace('  ', ' ');
  const { code } = error as NodeJS.ErrnoException;
  return `the storage cannot be reached${code === undefined ? '' : ` (${code})`}`;
}
