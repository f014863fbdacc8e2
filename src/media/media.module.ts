import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Attachments } from './attachments.service';
import { Content } from './content.service';
import { AttachmentEntity } from './entities/attachment.entity';
import { MediaFileEntity } from './entities/media-file.entity';
import { MediaUsageEntity } from './entities/media-usage.entity';
import { MessageAttachmentEntity } from './entities/message-attachment.entity';
import { MediaController } from './media.controller';
import { MediaStore } from './storage/media-store.service';
import { Uploads } from './uploads.service';

@Module({
  imports: [TypeOrmModule.forFeature([AttachmentEntity, MessageAttachmentEntity, MediaFileEntity, MediaUsageEntity])],
  controllers: [MediaController],
  providers: [MediaStore, Uploads, Attachments, Content],
  exports: [MediaStore, Attachments],
})
export class MediaModule {}
