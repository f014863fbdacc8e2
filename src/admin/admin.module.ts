import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditCountEntity } from './audit/audit-count.entity';
import { AuditEntryEntity } from './audit/audit-entry.entity';
import { AuditLogController } from './audit/list/audit-log.controller';
import { AuditLogService } from './audit/list/audit-log.service';
import { AuditRetention } from './audit/audit-retention.service';
import { BackupsModule } from './backups/backups.module';
import { SettingsController } from './settings/settings.controller';
import { StatisticsController } from './statistics/statistics.controller';
import { StatisticsService } from './statistics/statistics.service';

@Module({
  imports: [TypeOrmModule.forFeature([AuditEntryEntity, AuditCountEntity]), BackupsModule],
  controllers: [SettingsController, StatisticsController, AuditLogController],
  providers: [StatisticsService, AuditLogService, AuditRetention],
})
export class AdminModule {}
