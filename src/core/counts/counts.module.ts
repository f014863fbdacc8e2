import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PositionCheckpointEntity } from './position-checkpoint.entity';
import { PositionCheckpoints } from './position-checkpoints.service';

/** Exact totals and deep pages of messages. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([PositionCheckpointEntity])],
  providers: [PositionCheckpoints],
})
export class CountsModule {}
