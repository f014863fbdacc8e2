import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WorkModule } from '../work/work.module';
import { ErasureEntity } from './erasure.entity';
import { ERASURES, Erasures } from './erasures.service';

@Global()
@Module({
  imports: [WorkModule.forKind(ERASURES), TypeOrmModule.forFeature([ErasureEntity])],
  providers: [Erasures],
  exports: [Erasures],
})
export class ErasureModule {}
