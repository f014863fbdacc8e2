import { Module } from '@nestjs/common';
import { AuditLogController } from './audit-log.controller';
import { AuditLogService } from './audit-log.service';
import { AuditRetention } from './audit-retention';
import { SettingsController } from './settings.controller';
import { StatisticsController } from './statistics.controller';
import { StatisticsService } from './statistics.service';

@Module({
  controllers: [SettingsController, StatisticsController, AuditLogController],
  providers: [StatisticsService, AuditLogService, AuditRetention],
})
export class AdminModule {}
