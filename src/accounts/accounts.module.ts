import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountCredentials } from './account-credentials.service';
import { AccountStore } from './account-store.service';
import { Accounts } from './accounts.service';
import { AccountEntity } from './entities/account.entity';

@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity])],
  providers: [Accounts, AccountCredentials, AccountStore],
  exports: [Accounts, AccountCredentials, AccountStore],
})
export class AccountsModule {}
