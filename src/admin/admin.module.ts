import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENTS } from '#contracts';
import { FoldedCounts } from '../core/counts/folded-counts.service';
import { Retention } from '../core/events/retention.service';
import { AuditLogCountChangeEntity } from './audit/audit-log-count-change.entity';
import { AuditLogCountEntity } from './audit/audit-log-count.entity';
import { FOLD_AUDIT_LOG, forgetAuditCounts } from './audit/audit-log-counts.rows';
import { AuditEntryEntity } from './audit/audit-entry.entity';
import { AuditLogController } from './audit/list/audit-log.controller';
import { AuditLogService } from './audit/list/audit-log.service';
import { BackupsModule } from './backups/backups.module';
import { SettingsController } from './settings/settings.controller';
import { StatisticsController } from './statistics/statistics.controller';
import { StatisticsService } from './statistics/statistics.service';

@Module({
  imports: [
    TypeOrmModule.forFeature([AuditEntryEntity, AuditLogCountEntity, AuditLogCountChangeEntity]),
    BackupsModule,
  ],
  controllers: [SettingsController, StatisticsController, AuditLogController],
  providers: [StatisticsService, AuditLogService],
})
export class AdminModule {
  constructor(retention: Retention, counts: FoldedCounts) {
    counts.add('The counting of the audit log', FOLD_AUDIT_LOG);
    retention.keepDays(0, (rows) => rows.createQueryBuilder(AuditLogCountEntity, 'empty').where('empty.count = 0'));
    retention.keepDaysOf('audit_days', [...ENVIRONMENTS, null], (environment, rows, before) =>
      rows
        .createQueryBuilder(AuditEntryEntity, 'old')
        .where(environment ? 'old.environment = :environment' : 'old.environment IS NULL', { environment })
        .andWhere('old.createdAt < :before', { before })
        .orderBy('old.createdAt'),
    );
    retention.dropDaysOf('audit_days', 'audit_log', forgetAuditCounts);
  }
}
