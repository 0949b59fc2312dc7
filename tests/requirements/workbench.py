"""Files between a session, the remote workbench and Composio's storage (seeds/001 and 003)."""

ROWS = """
seeds/003 §1.3 workbench_download()
    workbench_download.arguments: It takes remote_path, local_path and session_id.
    workbench_download.answer: It answers from where to where, and ends with the local path.
    workbench_download.content: Content in the file tool's answer becomes the local file.
    workbench_download.file: A file that the answer names by its address is copied.
    workbench_download.pieces: What the file tool does not give comes in pieces, compared by sha256.
seeds/003 §1.4 workbench_upload()
    workbench_upload.arguments: It takes local_path, remote_path and session_id.
    workbench_upload.answer: It answers from where to where.
    workbench_upload.remote_python: Python in the workbench makes the folders and writes the file.
    workbench_upload.compared: What arrives is compared with what was sent.
seeds/003 §1.5 upload_to_composio()
    upload_to_composio.arguments: It takes path and mime_type.
    upload_to_composio.answer: It answers s3_key, s3_url and local_path as JSON.
    upload_to_composio.attachment: The key is made for GMAIL_SEND_EMAIL unless another is named.
seeds/003 §File System Boundaries
    workbench.remote_paths: A remote path lies below /home/user or /mnt/files.
seeds/003 §1.3 workbench_download() | overruled by ARCHITECTURE 8 (the asker's own account)
    workbench.own_session: Transfers run in the asker's session; session_id can name no other.
seeds/003 §API Key Management
    workbench.key: Without COMPOSIO_API_KEY the tools for it are not offered.
    workbench.key_unseen: The key is in no error, and goes to no storage.
seeds/001 §File Purpose Reference
    workbench.downloads: A file that a tool read in the sandbox lands in downloads/.
    workbench.downloads_kept: What is in downloads/ already is not replaced.
    app_files.automatic: A file that an app's result names lands in downloads/ by itself.
    app_files.tool: One that did not can be saved by a tool of its own.
    app_files.thread: A mail's attachment is at hand in the thread that asked for it.
"""
