"""The pages, one file each; they show what tables tell, and pass on what people do."""
