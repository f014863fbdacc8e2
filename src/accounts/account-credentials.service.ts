import { Injectable } from '@nestjs/common';
import { SecretBox } from '../core/secrets/secret-box.service';
import type { AccountEntity } from './entities/account.entity';

/** Seals the credentials of accounts. They are bound to their row, and cannot be opened in another. */
@Injectable()
export class AccountCredentials {
  constructor(private readonly box: SecretBox) {}

  seal(credentials: object, accountId: string): Buffer {
    return this.box.seal(JSON.stringify(credentials), accountId);
  }

  /** @returns undefined if they were sealed with another key */
  open({ id, credentials }: Pick<AccountEntity, 'id' | 'credentials'>): object | undefined {
    const text = credentials ? this.box.openIfReadable(credentials, id) : undefined;
    return text === undefined ? undefined : (JSON.parse(text) as object);
  }
}
