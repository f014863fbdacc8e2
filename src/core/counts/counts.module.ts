import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { FoldedCounts } from './folded-counts.service';
import { PositionCheckpointEntity } from './position-checkpoint.entity';
import { PositionCheckpoints } from './position-checkpoints.service';

/** Exact totals of all lists, and deep pages of messages. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([PositionCheckpointEntity])],
  providers: [PositionCheckpoints, FoldedCounts],
  exports: [FoldedCounts],
})
export class CountsModule {}
