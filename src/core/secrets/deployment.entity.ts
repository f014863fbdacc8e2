import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('deployment')
export class DeploymentEntity {
  @PrimaryColumn('text') name!: string;
  @Column('text') value!: string;
}
