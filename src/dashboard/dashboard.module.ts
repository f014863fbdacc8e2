import { Module } from '@nestjs/common';
import { Dashboard } from './dashboard.service';
import { PageBuild } from './page-build.service';

/** Left out with `DASHBOARD=false`. */
@Module({ providers: [Dashboard, PageBuild], exports: [PageBuild] })
export class DashboardModule {}
