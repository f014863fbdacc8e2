import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BackupEntity } from './backup.entity';
import { BackupMetrics } from './backup-metrics.service';
import { BackupRunner } from './backup-runner.service';
import { BackupSchedule } from './backup-schedule.service';
import { BackupStore } from './backup-store.service';
import { BackupVerifier } from './backup-verifier.service';
import { BackupsController } from './backups.controller';
import { BackupsService } from './backups.service';

@Module({
  imports: [TypeOrmModule.forFeature([BackupEntity])],
  controllers: [BackupsController],
  providers: [BackupsService, BackupRunner, BackupStore, BackupVerifier, BackupSchedule, BackupMetrics],
})
export class BackupsModule {}
