import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BillableLimit } from './billable-limit.service';
import { BillingRecorder } from './billing.service';
import { BillableDayEntity } from './entities/billable-day.entity';
import { PlatformUsageEntity } from './entities/platform-usage.entity';
import { PlatformUsageController } from './platform-usage.controller';
import { PlatformUsage } from './platform-usage.service';

@Module({
  imports: [TypeOrmModule.forFeature([PlatformUsageEntity, BillableDayEntity])],
  controllers: [PlatformUsageController],
  providers: [BillingRecorder, BillableLimit, PlatformUsage],
  exports: [BillingRecorder, BillableLimit],
})
export class BillingModule {}
